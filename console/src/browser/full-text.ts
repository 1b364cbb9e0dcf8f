/**
 * Shows the full text as a tooltip when the pointer reaches a text that ends in an ellipsis. Returns the function that
 * stops this.
 */
export function showFullTexts(): () => void {
  const onOver = ({ target }: PointerEvent) => {
    if (!(target instanceof HTMLElement) || target.title !== '' || target.scrollWidth <= target.clientWidth) return;
    if (getComputedStyle(target).textOverflow !== 'ellipsis') return;
    target.title = target.textContent;
    // The text may change later.
    target.addEventListener('pointerleave', () => target.removeAttribute('title'), { once: true });
  };
  addEventListener('pointerover', onOver);
  return () => removeEventListener('pointerover', onOver);
}
