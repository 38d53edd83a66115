package weathertest

// Place is one that the server knows.
type Place struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	FeatureCode string  `json:"feature_code"`
	CountryCode string  `json:"country_code"`
	Country     string  `json:"country"`
	Admin1      string  `json:"admin1,omitempty"`
	Timezone    string  `json:"timezone"`
	Population  int     `json:"population,omitempty"`

	now   map[string]float64
	daily map[string][]float64
}

// Places are all, the better known of one name first.
var Places = []Place{
	mild(Place{ID: 2988507, Name: "Paris", Latitude: 48.85341, Longitude: 2.3488, CountryCode: "FR", Country: "France", Admin1: "Île-de-France", Timezone: "Europe/Paris", Population: 2138551}),
	hot(Place{ID: 4717560, Name: "Paris", Latitude: 33.66094, Longitude: -95.55551, CountryCode: "US", Country: "United States", Admin1: "Texas", Timezone: "America/Chicago", Population: 24782}),
	mild(Place{ID: 2643743, Name: "London", Latitude: 51.50853, Longitude: -0.12574, CountryCode: "GB", Country: "United Kingdom", Admin1: "England", Timezone: "Europe/London", Population: 8961989}),
	snowy(Place{ID: 6058560, Name: "London", Latitude: 42.98339, Longitude: -81.23304, CountryCode: "CA", Country: "Canada", Admin1: "Ontario", Timezone: "America/Toronto", Population: 346765}),
	wet(Place{ID: 3161732, Name: "Bergen", Latitude: 60.39299, Longitude: 5.32415, CountryCode: "NO", Country: "Norway", Admin1: "Vestland", Timezone: "Europe/Oslo", Population: 213585}),
	snowy(Place{ID: 2657928, Name: "Zermatt", Latitude: 46.02126, Longitude: 7.74912, CountryCode: "CH", Country: "Switzerland", Admin1: "Valais", Timezone: "Europe/Zurich", Population: 5643}),
	hot(Place{ID: 360630, Name: "Cairo", Latitude: 30.06263, Longitude: 31.24967, CountryCode: "EG", Country: "Egypt", Admin1: "Cairo Governorate", Timezone: "Africa/Cairo", Population: 9606916}),
	mild(Place{ID: 5128581, Name: "New York", Latitude: 40.71427, Longitude: -74.00597, CountryCode: "US", Country: "United States", Admin1: "New York", Timezone: "America/New_York", Population: 8804190}),
	mild(Place{ID: 2267057, Name: "Lisbon", Latitude: 38.72509, Longitude: -9.1498, CountryCode: "PT", Country: "Portugal", Admin1: "Lisbon", Timezone: "Europe/Lisbon", Population: 517802}),
	hot(Place{ID: 3117735, Name: "Madrid", Latitude: 40.4165, Longitude: -3.70256, CountryCode: "ES", Country: "Spain", Admin1: "Madrid", Timezone: "Europe/Madrid", Population: 3255944}),
}

func mild(p Place) Place {
	p.now = figures(13.6, 60, 12.4, 2, 14.2, 230)
	p.daily = map[string][]float64{
		"weather_code": {3, 61, 2, 0, 1, 3, 45}, "temperature_2m_max": {14.8, 12.1, 11, 10.4, 11.9, 12, 9.8}, "temperature_2m_min": {9.2, 8.4, 5.1, 3.6, 4, 6.2, 5},
		"precipitation_sum": {0, 3.2, 0, 0, 0, 0.1, 0}, "snowfall_sum": {0}, "precipitation_probability_max": {10, 85, 15, 0, 5, 25, 10}, "wind_speed_10m_max": {22.3, 30.1, 14, 9.7, 12, 18, 6},
	}
	return p
}

func wet(p Place) Place {
	p.now = figures(6.2, 94, 2.1, 63, 33.8, 250)
	p.daily = map[string][]float64{
		"weather_code": {63, 65, 80, 63, 61, 3, 61}, "temperature_2m_max": {7.4}, "temperature_2m_min": {4.1}, "precipitation_sum": {14.6, 31.2, 6, 12, 4.4, 0, 3},
		"snowfall_sum": {0}, "precipitation_probability_max": {100, 100, 90, 95, 80, 30, 70}, "wind_speed_10m_max": {47.9, 64.2, 30, 41, 28, 20, 25},
	}
	return p
}

func snowy(p Place) Place {
	p.now = figures(-4.4, 80, -9.7, 71, 11.2, 10)
	p.daily = map[string][]float64{
		"weather_code": {71, 3, 75, 73, 0, 0, 2}, "temperature_2m_max": {-2.4, -1, -3.3, -5, -6.1, -2, 0.4}, "temperature_2m_min": {-8.8, -7, -10.2, -12, -14.4, -9, -6},
		"precipitation_sum": {1.4, 0, 16.1, 8, 0, 0, 0}, "snowfall_sum": {2.1, 0, 22.4, 11.2, 0, 0, 0}, "precipitation_probability_max": {60, 10, 98, 90, 0, 0, 5},
		"wind_speed_10m_max": {15, 8, 28.7, 20, 6, 5, 9},
	}
	return p
}

func hot(p Place) Place {
	p.now = figures(33.5, 18, 32.2, 0, 8.1, 0)
	p.daily = map[string][]float64{
		"weather_code": {0, 0, 1}, "temperature_2m_max": {34.7, 35.9, 33.2}, "temperature_2m_min": {19.4, 20.1, 18.8}, "precipitation_sum": {0},
		"snowfall_sum": {0}, "precipitation_probability_max": {0}, "wind_speed_10m_max": {17},
	}
	return p
}

func figures(degrees, humidity, feels, code, wind, direction float64) map[string]float64 {
	return map[string]float64{
		"temperature_2m": degrees, "relative_humidity_2m": humidity, "apparent_temperature": feels, "weather_code": code,
		"wind_speed_10m": wind, "wind_direction_10m": direction,
	}
}
