/** Why a mail was not taken. */
export interface MailFault {
  /** Whether the recipient's address was refused for good, and not the sender, the password or the connection. */
  isRecipients: boolean;
  /** One line that holds no setting. */
  says: string;
}

const maxLength = 200;

/**
 * Reads what sending threw. A refusal for good (5xx) of the recipient is the recipient's; one that says that the sender may
 * not send (530 and 535, 5.7.x of RFC 3463) is not.
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
    says: typeof code === 'string' ? `No answer of the mail server (${code}).` : 'No mail was sent.',
  };
}

interface Details {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
  response?: unknown;
}

const detailsOf = (error: unknown): Details => (error instanceof Error ? (error as Details) : {});

/** Makes one line of a text that others wrote, at most so long. */
export const oneLine = (text: string, length: number): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const letters = [...line];
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : line;
};
