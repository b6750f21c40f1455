/** Do it once what was just changed can be seen: a choice shows at once, what follows from it a moment later. */
export function afterPaint(work: () => void) {
  requestAnimationFrame(() => setTimeout(work));
}
