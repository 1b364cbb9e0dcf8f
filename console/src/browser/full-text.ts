/**
 * Gives each text that ends in an ellipsis its full length as the tooltip, when the pointer reaches it. Returns the
 * function that ends it.
 */
export function showFullTexts(): () => void {
  const onOver = ({ target }: PointerEvent) => {
    if (!(target instanceof HTMLElement) || target.title !== '' || target.scrollWidth <= target.clientWidth) return;
    if (getComputedStyle(target).textOverflow === 'ellipsis') target.title = target.textContent;
  };
  addEventListener('pointerover', onOver);
  return () => removeEventListener('pointerover', onOver);
}
