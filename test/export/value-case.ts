import type { AccountActor } from '../support/world.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A value as a device sends it, and as every surface shows it; without `shown` it does not fit its variable. */
export interface ValueCase {
  readonly variable: string;
  readonly sent: Json;
  readonly shown?: boolean | number | string | readonly (boolean | number | string)[];
}

export const variables = [
  { name: 'temperature', type: 'FLOAT32' },
  { name: 'count', type: 'INT64' },
  { name: 'small', type: 'UINT8' },
  { name: 'open', type: 'BOOL' },
  { name: 'label', type: 'TXT' },
] as const;

const same = (variable: string, ...values: (boolean | number | string)[]): ValueCase[] =>
  values.map((sent) => ({ variable, sent, shown: sent }));
const unfit = (variable: string, ...values: Json[]): ValueCase[] => values.map((sent) => ({ variable, sent }));

export const valueCases: readonly ValueCase[] = [
  ...same('temperature', 21.5, 0.1, 16777217, -1e-7, 3.4e38),
  { variable: 'temperature', sent: '21.5', shown: 21.5 },
  { variable: 'temperature', sent: [1, 2.5], shown: [1, 2.5] },
  ...unfit('temperature', 'warm', 'NaN', 3.5e38, { c: 1 }),
  ...same('count', 300, '9007199254740993', '-9223372036854775808'),
  { variable: 'count', sent: '42', shown: 42 },
  ...unfit('count', 1.5, '9223372036854775808'),
  ...same('small', 255),
  { variable: 'small', sent: '12', shown: 12 },
  ...unfit('small', 256, -1, true),
  ...same('open', true, false),
  { variable: 'open', sent: 'true', shown: true },
  { variable: 'open', sent: 0, shown: false },
  ...unfit('open', 'yes', 2),
  ...same('label', 'a\nb', 'a\rb', 'a\r\nb', 'say "x", y;z', '21.5', '007', 'true', 'null', 'NaN', ' a ', 'é', '"'),
  { variable: 'label', sent: 5, shown: '5' },
  { variable: 'label', sent: ['a', 'b,c'], shown: ['a', 'b,c'] },
  ...unfit('label', { a: 1 }),
];

export const start = 1_700_000_000;
export const serialOf = (index: number): string => `c-${String(index).padStart(2, '0')}`;

/** Creates an application with a device for each case. */
export const createCases = async (owner: AccountActor) => {
  const at = `/organizations/${owner.id}`;
  const product = await owner.make(`${at}/products`, { name: 'Sensor', version: '1', variables });
  const application = `/applications/${owner.id}/${await owner.make(`${at}/applications`, { name: 'All' })}`;
  const devices: string[] = [];
  for (const index of valueCases.keys()) {
    const id = await owner.make(`${at}/devices/${serialOf(index)}`, { product: { id: product } });
    await owner.put(`${application}/devices/${id}`);
    devices.push(id);
  }
  return { application, devices };
};

/** Stores a record for each case. */
export const sendCases = async (owner: AccountActor): Promise<number> =>
  (
    await owner.post<{ accepted: number }>(
      `/organizations/${owner.id}/records`,
      valueCases.map(({ variable, sent }, index) => ({
        serial: serialOf(index),
        ts: start + index,
        data: { [variable]: sent },
      })),
    )
  ).body.accepted;
