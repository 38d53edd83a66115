package place

import (
	"atelier/agent/toolbox/native/operation"
)

// Operations returns the operations of this package by the names that backings use.
func Operations() map[string]operation.Func {
	return map[string]operation.Func{
		"extract_location":            extractLocation,
		"get_time":                    getTime,
		"summarize_weather_condition": summarizeWeather,
	}
}
