package weathertest

// Place is a place that the server knows.
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

// Places are all known places; of those with the same name, the better known is first.
var Places = []Place{
	mild(town(2988507, "Paris", "Île-de-France", "France", "FR", "Europe/Paris", 48.85341, 2.3488, 2138551)),
	hot(town(4717560, "Paris", "Texas", "United States", "US", "America/Chicago", 33.66094, -95.55551, 24782)),
	mild(town(2643743, "London", "England", "United Kingdom", "GB", "Europe/London", 51.50853, -0.12574, 8961989)),
	snowy(town(6058560, "London", "Ontario", "Canada", "CA", "America/Toronto", 42.98339, -81.23304, 346765)),
	wet(town(3161732, "Bergen", "Vestland", "Norway", "NO", "Europe/Oslo", 60.39299, 5.32415, 213585)),
	snowy(town(2657928, "Zermatt", "Valais", "Switzerland", "CH", "Europe/Zurich", 46.02126, 7.74912, 5643)),
	hot(town(360630, "Cairo", "Cairo Governorate", "Egypt", "EG", "Africa/Cairo", 30.06263, 31.24967, 9606916)),
	mild(town(5128581, "New York", "New York", "United States", "US", "America/New_York", 40.71427, -74.00597, 8804190)),
	mild(town(2267057, "Lisbon", "Lisbon", "Portugal", "PT", "Europe/Lisbon", 38.72509, -9.1498, 517802)),
	hot(town(3117735, "Madrid", "Madrid", "Spain", "ES", "Europe/Madrid", 40.4165, -3.70256, 3255944)),
}

func town(id int, name, admin1, country, code, zone string, latitude, longitude float64, population int) Place {
	return Place{
		ID: id, Name: name, Latitude: latitude, Longitude: longitude, FeatureCode: "PPL", CountryCode: code, Country: country, Admin1: admin1,
		Timezone: zone, Population: population,
	}
}

func mild(p Place) Place {
	p.now = figures(13.6, 60, 12.4, 2, 14.2, 230)
	p.daily = map[string][]float64{
		"weather_code":       {3, 61, 2, 0, 1, 3, 45},
		"temperature_2m_max": {14.8, 12.1, 11, 10.4, 11.9, 12, 9.8}, "temperature_2m_min": {9.2, 8.4, 5.1, 3.6, 4, 6.2, 5},

		"precipitation_sum": {0, 3.2, 0, 0, 0, 0.1, 0}, "snowfall_sum": {0},
		"precipitation_probability_max": {10, 85, 15, 0, 5, 25, 10}, "wind_speed_10m_max": {22.3, 30.1, 14, 9.7, 12, 18, 6},
	}
	return p
}

func wet(p Place) Place {
	p.now = figures(6.2, 94, 2.1, 63, 33.8, 250)
	p.daily = map[string][]float64{
		"weather_code":       {63, 65, 80, 63, 61, 3, 61},
		"temperature_2m_max": {7.4}, "temperature_2m_min": {4.1},
		"precipitation_sum": {14.6, 31.2, 6, 12, 4.4, 0, 3}, "snowfall_sum": {0},
		"precipitation_probability_max": {100, 100, 90, 95, 80, 30, 70}, "wind_speed_10m_max": {47.9, 64.2, 30, 41, 28, 20, 25},
	}
	return p
}

func snowy(p Place) Place {
	p.now = figures(-4.4, 80, -9.7, 71, 11.2, 10)
	p.daily = map[string][]float64{
		"weather_code":       {71, 3, 75, 73, 0, 0, 2},
		"temperature_2m_max": {-2.4, -1, -3.3, -5, -6.1, -2, 0.4}, "temperature_2m_min": {-8.8, -7, -10.2, -12, -14.4, -9, -6},

		"precipitation_sum": {1.4, 0, 16.1, 8, 0, 0, 0}, "snowfall_sum": {2.1, 0, 22.4, 11.2, 0, 0, 0},
		"precipitation_probability_max": {60, 10, 98, 90, 0, 0, 5}, "wind_speed_10m_max": {15, 8, 28.7, 20, 6, 5, 9},
	}
	return p
}

func hot(p Place) Place {
	p.now = figures(33.5, 18, 32.2, 0, 8.1, 0)
	p.daily = map[string][]float64{
		"weather_code":       {0, 0, 1},
		"temperature_2m_max": {34.7, 35.9, 33.2}, "temperature_2m_min": {19.4, 20.1, 18.8},
		"precipitation_sum": {0}, "snowfall_sum": {0},
		"precipitation_probability_max": {0}, "wind_speed_10m_max": {17},
	}
	return p
}

func figures(degrees, humidity, feels, code, wind, direction float64) map[string]float64 {
	return map[string]float64{
		"temperature_2m": degrees, "relative_humidity_2m": humidity, "apparent_temperature": feels, "weather_code": code,
		"wind_speed_10m": wind, "wind_direction_10m": direction,
	}
}
