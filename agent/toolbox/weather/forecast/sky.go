package forecast

// skies describes the weather codes of forecasts (WMO, Manual on Codes, code table 4677, as documented by
// Open-Meteo).
var skies = map[int]string{
	0: "clear sky", 1: "mainly clear", 2: "partly cloudy", 3: "overcast",
	45: "fog", 48: "freezing fog",
	51: "light drizzle", 53: "drizzle", 55: "dense drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
	61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "heavy freezing rain",
	71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains",
	80: "light rain showers", 81: "rain showers", 82: "violent rain showers", 85: "light snow showers", 86: "heavy snow showers",
	95: "thunderstorm", 96: "thunderstorm with light hail", 99: "thunderstorm with heavy hail",
}

// Sky describes a weather code in words. Unknown codes are "unsettled".
func Sky(code int) string {
	if s, ok := skies[code]; ok {
		return s
	}
	return "unsettled"
}
