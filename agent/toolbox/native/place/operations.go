package place

import (
	"atelier/agent/toolbox/native/operation"
)

// Operations are the operations by the names that backings use.
func Operations() map[string]operation.Func {
	return map[string]operation.Func{
		"extract_location":            extractLocation,
		"get_time":                    getTime,
		"summarize_weather_condition": summarizeWeather,
	}
}
