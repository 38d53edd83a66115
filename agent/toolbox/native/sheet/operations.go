package sheet

import (
	"atelier/agent/toolbox/native/operation"
)

// Operations returns the operations of this package by the names that backings use.
func Operations() map[string]operation.Func {
	return map[string]operation.Func{
		"convert_table":    convertTable,
		"filter_table":     filterTable,
		"format_json":      formatJSON,
		"join_tables":      joinTables,
		"make_chart":       makeChart,
		"pick_columns":     pickColumns,
		"sort_table":       sortTable,
		"table_statistics": tableStatistics,
		"table_to_image":   tableToImage,
	}
}
