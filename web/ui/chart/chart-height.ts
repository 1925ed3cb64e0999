/** In a file of its own, because the page reserves the height before the drawing has loaded. */
export const chartHeightPx = 190;
