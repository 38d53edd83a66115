package s3test

import "encoding/xml"

// The bodies of requests and responses (Amazon S3 API reference), as far as the client uses them.
type (
	errorBody struct {
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
	}
	listBody struct {
		XMLName               xml.Name      `xml:"ListBucketResult"`
		IsTruncated           bool          `xml:"IsTruncated"`
		KeyCount              int           `xml:"KeyCount"`
		NextContinuationToken string        `xml:"NextContinuationToken,omitempty"`
		Contents              []contentBody `xml:"Contents"`
	}
	contentBody struct {
		Key          string `xml:"Key"`
		LastModified string `xml:"LastModified"`
		ETag         string `xml:"ETag"`
		Size         int    `xml:"Size"`
	}
	deleteBody struct {
		XMLName xml.Name `xml:"Delete"`
		Objects []struct {
			Key string `xml:"Key"`
		} `xml:"Object"`
	}
	deletedBody struct {
		XMLName xml.Name `xml:"DeleteResult"`
	}
	begunBody struct {
		XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
		Bucket   string   `xml:"Bucket"`
		Key      string   `xml:"Key"`
		UploadID string   `xml:"UploadId"`
	}
	completeBody struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Parts   []struct {
			PartNumber int    `xml:"PartNumber"`
			ETag       string `xml:"ETag"`
		} `xml:"Part"`
	}
	completedBody struct {
		XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
		Bucket  string   `xml:"Bucket"`
		Key     string   `xml:"Key"`
		ETag    string   `xml:"ETag"`
	}
	uploadsBody struct {
		XMLName            xml.Name     `xml:"ListMultipartUploadsResult"`
		IsTruncated        bool         `xml:"IsTruncated"`
		NextKeyMarker      string       `xml:"NextKeyMarker,omitempty"`
		NextUploadIDMarker string       `xml:"NextUploadIdMarker,omitempty"`
		Uploads            []uploadBody `xml:"Upload"`
	}
	uploadBody struct {
		Key       string `xml:"Key"`
		UploadID  string `xml:"UploadId"`
		Initiated string `xml:"Initiated"`
	}
)
