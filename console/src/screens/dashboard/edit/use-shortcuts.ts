import { useEffect } from 'preact/hooks';
import { isTyping } from '../../../browser/shortcuts.js';
import type { History } from './use-history.js';

/** Ctrl+Z undoes a step, and Ctrl+Y or Ctrl+Shift+Z redoes it. Fields keep their own undo. */
export const useShortcuts = ({ undo, redo }: History, say: (text: string) => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, shiftKey } = event;
      if (!(ctrlKey || metaKey) || isTyping(event) || document.querySelector('dialog[open]') !== null) return;
      const isRedo = key.toLowerCase() === 'y' || (key.toLowerCase() === 'z' && shiftKey);
      const step = isRedo ? redo : key.toLowerCase() === 'z' ? undo : undefined;
      if (step === undefined) return;
      event.preventDefault();
      step();
      say(isRedo ? 'Redone' : 'Undone');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [undo, redo]);
};
