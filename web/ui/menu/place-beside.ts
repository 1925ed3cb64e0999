const gapPx = 5;
const edgePx = 8;
const comfortablePx = 260;

/** Positions a floating element below a button, or above it where there is more space. */
export function placeBeside(button: HTMLElement, floating: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const below = clientHeight - bottom - gapPx - edgePx;
  const above = top - gapPx - edgePx;
  const isBelow = below >= comfortablePx || below >= above;
  const isLeft = left < clientWidth / 2;
  Object.assign(floating.style, {
    top: isBelow ? `${bottom + gapPx}px` : 'auto',
    bottom: isBelow ? 'auto' : `${clientHeight - top + gapPx}px`,
    left: isLeft ? `${left}px` : 'auto',
    right: isLeft ? 'auto' : `${clientWidth - right}px`,
    maxHeight: `${isBelow ? below : above}px`,
    maxWidth: `${Math.min(320, (isLeft ? clientWidth - left : right) - edgePx)}px`,
  });
}
