import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** A text to paste elsewhere, such as a curl command, with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="copyable">
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <button type="button" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

/** A short text such as a serial number, with a button that copies it. */
export const CopyText = ({ text, what }: { text: string; what: string }) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span class="copy-text">
      <code>{text}</code>
      <button
        type="button"
        class="plain"
        aria-label={copied ? 'Copied' : `Copy ${what}`}
        title={copied ? 'Copied' : `Copy ${what}`}
        onClick={() => void copy()}
      >
        <Icon name={copied ? 'done' : 'copy'} />
      </button>
    </span>
  );
};
