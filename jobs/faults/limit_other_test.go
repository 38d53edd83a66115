//go:build !linux && !darwin

package faults_test

import "errors"

func (w worker) limit() error {
	if w.FileLimit == 0 {
		return nil
	}
	return errors.New("files cannot be limited here")
}
