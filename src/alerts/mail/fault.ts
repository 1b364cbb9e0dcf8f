/** Reason why a mail was not sent. */
export interface MailFault {
  /**
   * Whether the mail server refused the recipient's address permanently. False for faults of the sender, the password
   * and the connection.
   */
  isRecipients: boolean;
  /** Answer of the mail server in one line, without any value of our settings. */
  says: string;
}

/** Maximum number of characters of an answer that are kept. */
const maxLength = 200;

/**
 * Classifies an error of sending. A permanent refusal (5xx) of RCPT TO is the recipient's fault, unless its code says
 * that the sender may not send (530, 535, and 5.7.x of RFC 3463).
 */
export function faultOf(error: unknown): MailFault {
  const { code, command, responseCode, response } = detailsOf(error);
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const answer = typeof response === 'string' ? response : '';
  const isPolicy = status === 530 || status === 535 || /^\d{3}[ -]5\.7\./.test(answer);
  const isRecipients = command === 'RCPT TO' && status >= 500 && status < 600 && !isPolicy;
  if (answer !== '') return { isRecipients, says: oneLine(answer, maxLength) };
  return {
    isRecipients,
    says: typeof code === 'string' ? `The mail server did not answer (${code}).` : 'The mail was not sent.',
  };
}

interface Details {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
  response?: unknown;
}

const detailsOf = (error: unknown): Details => (error instanceof Error ? (error as Details) : {});

/** Turns a text of users or mail servers into one line of at most `length` characters. */
export const oneLine = (text: string, length: number): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const letters = [...line];
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : line;
};
