import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { type DoctorCheck, finding } from './finding.js';

/** Maximum number of rules that are listed; those switched off last come first. */
const named = 20;

/** Finds alert rules that the service switched off or that are behind, and e-mail that is not delivered. */
export const checkAlerts =
  (sendsMail: boolean): DoctorCheck =>
  async (database) => {
    const off = await rulesOff(database);
    const { failing, since, last, unsent } = await mailOf(database);
    const behind = await rulesBehind(database);
    const waiting =
      behind === undefined
        ? []
        : [
            `${behind.rules} rules have yet to decide records, since ${new Date(behind.since).toISOString()}: their queries get no answer in time.`,
          ];
    const rules = off.length > 0 ? ['Rules were switched off because their queries kept running out of time.'] : [];
    const mails = [
      ...(sendsMail && failing > 0
        ? [
            `E-mail to ${failing} addresses fails${since ? ` since ${new Date(since).toISOString()}` : ''}, the last with: ${last}`,
          ]
        : []),
      ...(!sendsMail && unsent > 0
        ? [`${unsent} rules name recipients of e-mail, and SMTP_URL is not set: nobody is told.`]
        : []),
    ];
    const state = sendsMail && failing > 0 ? 'wrong' : 'note';
    const found = finding('alerts', 'no rule was switched off, no e-mail fails', state, [
      ...rules,
      ...waiting,
      ...mails,
    ]);
    return off.length === 0 ? found : { ...found, details: off.map(lineOf) };
  };

interface Off {
  id: string;
  name: string;
  application: string;
  applicationId: string;
  at: string;
}

const rulesOff = async (database: Queryable): Promise<Off[]> =>
  (
    await database.query<Off>(sql`
      select r.id, r.name, a.name application, r.application_id "applicationId", r.disabled_at "at"
        from alert_rule r join application a on a.id = r.application_id
       where r.disabled and r.disabled_reason = 'timeout' order by r.disabled_at desc, r.id limit ${named}`)
  ).rows;

const lineOf = ({ id, name, application, applicationId, at }: Off): string =>
  `rule "${name}" (${id}) of the application "${application}" (${applicationId}): switched off at ${new Date(at).toISOString()}`;

/** Returns the number of rules with records that wait for longer than a minute; undefined if there are none. */
const rulesBehind = async (database: Queryable): Promise<{ rules: number; since: string } | undefined> => {
  const { rows } = await database.query<{ rules: number; since: string | null }>(sql`
    select count(*)::int rules, min(u.noted_at) since
      from alert_backlog b cross join lateral (
        select noted_at from alert_undecided where rule_id = b.rule_id order by number limit 1) u
     where u.noted_at < now() - interval '1 minute'`);
  const { rules, since } = rows[0]!;
  return since === null ? undefined : { rules, since };
};

interface Mail {
  failing: number;
  since: string | null;
  last: string | null;
  /** Number of rules with recipients. */
  unsent: number;
}

const mailOf = async (database: Queryable): Promise<Mail> =>
  (
    await database.query<Mail>(sql`
      select count(*)::int failing, min(r.failing_since) since, (array_agg(r.last_error order by r.failing_since desc nulls last))[1] last,
             (select count(*)::int from alert_rule where recipients <> '{}' and not disabled) unsent
        from alert_recipient r where r.last_error is not null and r.state <> 'stopped'`)
  ).rows[0]!;
