package workshop

// GPUAtOnce is the number of concurrent actions on model servers that do not report their capacity.
const GPUAtOnce = 4

// ProgramsAtOnce is the number of concurrent programs written by a model.
const ProgramsAtOnce = 2
