import { oneLine } from './fault.js';
import type { MailNotice } from './outbox.js';

/** A mail that is ready to be sent. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Equal for equal notices, so that mail programs show a mail that was sent twice only once. */
  messageId: string;
  /** Address of the page that stops these mails. */
  stopUrl?: string;
}

/** Maximum number of characters of a name that a mail shows. */
const maxName = 100;

/** Parts of every mail. */
interface Terms {
  to: string;
  /** Unique name of the organization. */
  organization: string;
  messageId: string;
  stopUrl: string;
}

/** Writes the mail that asks for confirmation. The organization's unique name is its only text that users wrote. */
export function askMail({ confirmUrl, ...terms }: Terms & { confirmUrl: string }): Mail {
  const { organization } = terms;
  const paragraphs = [
    `The organization ${organization} names this address in an alert rule of its device data platform. It would get an e-mail when something is wrong with a device.`,
    'Do you want these mails? Then open this link within 7 days, and press the button:',
  ];
  const rest = 'If you do not know the organization, do nothing: you get no more mails then.';
  return {
    ...terms,
    subject: `Do you want alerts of ${organization} by e-mail?`,
    text: [...paragraphs, confirmUrl, rest, footerOf(terms)].join('\n\n'),
    html: page([...paragraphs.map(paragraph), linkTo(confirmUrl, 'Confirm this address'), paragraph(rest)], terms),
  };
}

/** Writes the mail with notices. `more` is the number of notices that it does not show. */
export function noticeMail({
  notices,
  more,
  origin,
  ...terms
}: Terms & { notices: readonly MailNotice[]; more: number; origin: string }): Mail {
  const beyond =
    more === 0 ? [] : [`And ${more} more ${notices.length === 0 ? 'notices' : 'that are not shown here'}.`];
  return {
    ...terms,
    subject: subjectOf(notices, more, terms.organization),
    text: [...notices.map((notice) => linesOf(notice, origin).join('\n')), ...beyond, footerOf(terms)].join('\n\n'),
    html: page([...notices.map((notice) => section(notice, origin)), ...beyond.map(paragraph)], terms),
  };
}

function subjectOf(notices: readonly MailNotice[], more: number, organization: string): string {
  const [first] = notices;
  if (first !== undefined && notices.length + more === 1) return titleOf(first);
  return `${notices.length + more} alert notices of ${organization}`;
}

/**
 * Writes the mail with an invitation to an organization. The organization's unique name is its only text that users
 * write.
 */
export function invitationMail({
  organization,
  url,
  ...rest
}: {
  to: string;
  organization: string;
  url: string;
  messageId: string;
}): Mail {
  const paragraphs = [
    `The organization ${organization} of a device data platform invites you to become a member.`,
    'To accept, open this link within 7 days and press the button:',
  ];
  const end = 'If you do not know the organization, do nothing.';
  const html = [...paragraphs.map(paragraph), linkTo(url, 'Open the invitation'), paragraph(end)].join('\n');
  return {
    ...rest,
    subject: `${organization} invites you`,
    text: [...paragraphs, url, end].join('\n\n'),
    html: `<!doctype html><html lang="en"><body>${html}</body></html>`,
  };
}

const severities: Readonly<Record<string, string>> = { info: 'Info', warning: 'Warning', critical: 'Critical' };

function titleOf({ kind, severity, rule, device }: MailNotice): string {
  const of = device === null ? 'a device that is gone' : oneLine(device, maxName);
  const name = oneLine(rule, maxName);
  return kind === 'opened' ? `${severities[severity] ?? severity}: ${name}, ${of}` : `Closed: ${name}, ${of}`;
}

const linesOf = (notice: MailNotice, origin: string): string[] => [
  titleOf(notice),
  ...[...detailsOf(notice), ...addressesOf(notice, origin)].map((line) => `  ${line}`),
];

/** Returns the console's page of the rule's episodes of the device, the newest first. */
const addressesOf = ({ ruleId, deviceId }: MailNotice, origin: string): string[] =>
  ruleId === undefined || deviceId === undefined
    ? []
    : [`${origin}/console/alerts?${new URLSearchParams({ rule: ruleId, device: deviceId }).toString()}`];

function detailsOf(notice: MailNotice): string[] {
  const { serial, application, openedAt, closedAt, reason, values, openedReason, openedState } = notice;
  return [
    ...(values == null ? [] : Object.entries(values).map(valueOf)),
    ...(openedState == null || closedAt !== null ? [] : openedState.map(unsettledOf)),
    ...(openedReason === 'quota'
      ? ['A quota of the organization has refused records since then: the device may have sent some.']
      : []),
    `Application: ${oneLine(application, maxName)}`,
    ...(serial === null ? [] : [`Serial: ${oneLine(serial, maxName)}`]),
    `Opened: ${timeOf(openedAt)}`,
    ...(closedAt === null
      ? []
      : [`Closed: ${timeOf(closedAt)}${reason === null ? '' : `, since ${reasonOf(reason)}`}`]),
  ];
}

/** Formats a value that a device sent. */
const valueOf = ([name, value]: [string, unknown]): string =>
  `${oneLine(name, maxName)}: ${oneLine(typeof value === 'string' ? value : JSON.stringify(value), maxName)}`;

/** Formats a desired value that a device has not reported. */
const unsettledOf = ({ name, desired }: { name: string; desired: unknown }): string =>
  `Not reported: ${valueOf([name, desired])}`;

const reasons: Readonly<Record<string, string>> = {
  cleared: 'the values are back to normal',
  arrived: 'records arrive again',
  recordsStopped: 'no record arrived',
  unlinked: 'the device was taken out of the application',
  deviceDeleted: 'the device was deleted',
  settled: 'the device has reported what is desired',
  moved: 'the rule no longer applies to the device',
  disabled: 'the rule was switched off',
  ruleChanged: 'the rule was changed',
  ruleDeleted: 'the rule was deleted',
};
const reasonOf = (reason: string): string => reasons[reason] ?? reason;

/** Formats a time for people. The time of a device's clock may be outside the range of dates. */
function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? 'unknown' : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const footerOf = ({ organization, stopUrl }: Terms): string =>
  `--\nThis address is named in an alert rule of the organization ${organization}.\nNo more of these mails: ${stopUrl}`;

const section = (notice: MailNotice, origin: string): string => {
  const links = addressesOf(notice, origin).map((url) => `<a href="${escaped(url)}">Show the episode</a>`);
  return `<p><strong>${escaped(titleOf(notice))}</strong><br>${[...detailsOf(notice).map(escaped), ...links].join('<br>')}</p>`;
};
const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;
const linkTo = (url: string, text: string): string => `<p><a href="${escaped(url)}">${escaped(text)}</a></p>`;

const page = (parts: readonly string[], { organization, stopUrl }: Terms): string =>
  `<!doctype html><html lang="en"><body>${parts.join('\n')}
<hr><p>This address is named in an alert rule of the organization ${escaped(organization)}. <a href="${escaped(stopUrl)}">No more of these mails</a></p></body></html>`;

/** Escapes a text for HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
