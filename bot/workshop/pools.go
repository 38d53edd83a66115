package workshop

// GPUAtOnce is how many actions are asked of servers with models at a time where these do
// not tell how many they work on.
const GPUAtOnce = 4

// ProgramsAtOnce is how many programs that a model has written run at a time.
const ProgramsAtOnce = 2
