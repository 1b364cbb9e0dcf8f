import { type Command, InvalidArgumentError } from 'commander';
import { getQuota, type QuotaValues, setQuota } from '#operator/quota.js';
import { addCommand, answer, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

/** Adds `ddp quota ...`. */
export function addQuotaCommands(group: Command): void {
  addCommand(group, 'set <organization>', 'Set quotas of an organization; quotas that are not named stay as they are.')
    .option('--records-per-day <number>', 'records stored in a day (UTC), or none', limitOf)
    .option('--devices <number>', 'devices, or none', limitOf)
    .option(
      '--stored-bytes <number>',
      'bytes of stored records, with K, M, G or T for powers of 1024, or none',
      limitOf,
    )
    .option('--commands-per-day <number>', 'commands sent to devices in a day (UTC), or none', limitOf)
    .action(
      async (organization: string, { json, ...given }: OutputOptions & Partial<Record<keyof QuotaValues, Limit>>) => {
        const values = Object.fromEntries(Object.entries(given).map(([name, { value }]) => [name, value]));
        const quota = await withDatabase(({ pool }) => setQuota(pool, organization, values));
        answer({ json }, { organization, ...textsOf(quota) });
      },
    );
  addCommand(group, 'show <organization>', 'Show the quotas of an organization.').action(
    async (organization: string, options: OutputOptions) =>
      answer(options, {
        organization,
        ...textsOf(await withDatabase(({ pool }) => getQuota(pool, organization))),
      }),
  );
}

/** A limit; null is no limit. It is wrapped, because commander treats an option whose value is null as absent. */
interface Limit {
  value: number | null;
}

const units = ['', 'K', 'M', 'G', 'T'];

const limitOf = (text: string): Limit => {
  if (text === 'none') return { value: null };
  const [, digits, unit = ''] = /^(\d{1,15})([KMGT])?$/.exec(text) ?? [];
  const value = Number(digits) * 1024 ** units.indexOf(unit);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number, such as 100000 or 20G, or none.');
  return { value };
};

const textsOf = (quota: QuotaValues): Record<keyof QuotaValues, string> => ({
  recordsPerDay: textOf(quota.recordsPerDay),
  devices: textOf(quota.devices),
  storedBytes: textOf(quota.storedBytes),
  commandsPerDay: textOf(quota.commandsPerDay),
});

const textOf = (limit: number | null): string => (limit === null ? 'none' : String(limit));
