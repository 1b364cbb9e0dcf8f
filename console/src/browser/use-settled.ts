import { useEffect, useState } from 'preact/hooks';

/** Time in milliseconds after the last key until a text counts as settled. */
const pause = 150;

/** Returns a text without surrounding blanks, as it was when typing last paused. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
