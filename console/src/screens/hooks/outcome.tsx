import { Badge } from '../../components/badge.js';

interface Delivery {
  readonly successful: boolean;
  readonly attemptsMade: number;
  readonly maxNumberAttempts: number;
  readonly response: { readonly statusCode: number } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Reasons for which a call got no answer, in words. */
const faults: Readonly<Record<string, string>> = {
  BLOCKED: '(the address is not allowed)',
  DNS: '(no such host)',
  REFUSED: '(connection refused)',
  TLS: '(no valid certificate)',
  TIMEOUT: '(no answer in time)',
  RESET: '(connection reset)',
  PROTOCOL: '(not an HTTP answer)',
};

/** Shows whether a delivery succeeded, failed or continues, with the last answer. */
export const Outcome = ({ of }: { of: Delivery }) => {
  const answer = of.response?.statusCode ?? (of.error === null ? '' : (faults[of.error.code] ?? of.error.message));
  if (of.successful) return <Badge tone="good">succeeded {answer}</Badge>;
  if (of.attemptsMade === 0) return <Badge tone="quiet">waits for its first attempt</Badge>;
  if (of.attemptsMade < of.maxNumberAttempts) return <Badge tone="warn">failed {answer}, is tried again</Badge>;
  return <Badge tone="bad">failed {answer}</Badge>;
};
