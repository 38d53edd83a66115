package settings

// LocalModelsSetting switches the search for a model server on this machine on and off.
const LocalModelsSetting = "ATELIER_LOCAL_MODELS"
