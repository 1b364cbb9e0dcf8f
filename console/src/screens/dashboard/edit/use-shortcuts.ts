import { useEffect } from 'preact/hooks';
import type { History } from './use-history.js';

/** Ctrl+Z undoes a step, and Ctrl+Y or Ctrl+Shift+Z redoes it. Fields keep their own undo. */
export const useShortcuts = ({ undo, redo }: History, say: (text: string) => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, shiftKey } = event;
      const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (!(ctrlKey || metaKey) || isField || document.querySelector('dialog[open]') !== null) return;
      const isRedo = key.toLowerCase() === 'y' || (key.toLowerCase() === 'z' && shiftKey);
      const step = isRedo ? redo : key.toLowerCase() === 'z' ? undo : undefined;
      if (step === undefined) return;
      event.preventDefault();
      step();
      say(isRedo ? 'Done again' : 'Taken back');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [undo, redo]);
};
