// Sets the chosen colours before the page is drawn, so that it does not flash.
(() => {
  try {
    const chosen = localStorage.getItem('theme')
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
  } catch { /* without storage the device decides */ }
})()
