import { useEffect, useState } from 'preact/hooks';
import { toast } from '../browser/toast.js';
import { Icon } from './icon.js';

/** Returns whether the text was copied just now, and the function that copies it. */
function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      // Over plain HTTP, browsers have no clipboard.
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast('The browser does not allow copying here. Select the text, and copy it yourself.');
    }
  };
  return [copied, () => void copy()];
}

/** A button that copies a text. */
export const CopyButton = ({ text, label = 'Copy' }: { text: string; label?: string }) => {
  const [copied, copy] = useCopy(text);
  return (
    <button type="button" onClick={copy}>
      {copied ? 'Copied' : label}
    </button>
  );
};

/**
 * A text to paste elsewhere, such as a curl command, with a button that copies it. A secret in it is shown as dots, and
 * copied as it is.
 */
export function Copyable({ text, label, secret }: { text: string; label: string; secret?: string | undefined }) {
  const [isBare, setBare] = useState(false);
  return (
    <div class="copyable">
      <pre tabIndex={0} aria-label={label}>
        <code>{secret === undefined || isBare ? text : text.replaceAll(secret, '••••••••')}</code>
      </pre>
      <div class="copy-actions">
        <CopyButton text={text} />
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
  const [copied, copy] = useCopy(text);
  const label = copied ? 'Copied' : `Copy ${what}`;
  return (
    <span class="copy-text">
      <code class="cut" title={text}>
        {text}
      </code>
      <button type="button" class="plain" aria-label={label} title={label} onClick={copy}>
        <Icon name={copied ? 'done' : 'copy'} />
      </button>
    </span>
  );
};
