/** Runs work after the next paint, so a selection shows before the slower update it causes. */
export function afterPaint(work: () => void) {
  requestAnimationFrame(() => setTimeout(work));
}
