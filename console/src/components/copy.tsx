import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/**
 * A text to paste elsewhere, such as a curl command, with a button that copies it. A secret in it is shown as dots, and
 * copied as it is.
 */
export function Copyable({ text, label, secret }: { text: string; label: string; secret?: string | undefined }) {
  const [isBare, setBare] = useState(false);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="copyable">
      <pre tabIndex={0} aria-label={label}>
        <code>{secret === undefined || isBare ? text : text.replaceAll(secret, '••••••••')}</code>
      </pre>
      <div class="copy-actions">
        <button type="button" onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        {secret !== undefined && (
          <button type="button" aria-pressed={isBare} onClick={() => setBare((now) => !now)}>
            {isBare ? 'Hide the token' : 'Show the token'}
          </button>
        )}
      </div>
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
