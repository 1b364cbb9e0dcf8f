/** Time in milliseconds that a screen has to become as high as it was. */
const patience = 5000;

/** Acts of a person who does not wait for the place. */
const acts = ['wheel', 'keydown', 'pointerdown'] as const;

/**
 * Shows a screen at the place where it was left when a person goes back to it. A browser does so at once, when the
 * screen is still empty.
 */
export function restoreScroll(): void {
  history.scrollRestoration = 'manual';
  const places = new Map<string, number>();
  let stop: (() => void) | undefined;
  addEventListener(
    'scroll',
    () => {
      // Until the screen is as high as it was, it scrolls by itself.
      if (stop === undefined) places.set(location.href, scrollY);
    },
    { passive: true },
  );
  addEventListener('popstate', () => {
    stop?.();
    stop = settleAt(places.get(location.href) ?? 0, () => (stop = undefined));
  });
}

/** Scrolls to a place as soon as the page reaches it. Returns the function that gives up. */
function settleAt(top: number, done: () => void): () => void {
  const end = () => {
    observer.disconnect();
    clearTimeout(timer);
    for (const act of acts) removeEventListener(act, end);
    done();
  };
  const observer = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < top + innerHeight) return;
    scrollTo({ top });
    end();
  });
  const timer = setTimeout(end, patience);
  for (const act of acts) addEventListener(act, end, { passive: true });
  observer.observe(document.body);
  return end;
}
