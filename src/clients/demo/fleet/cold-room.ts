import type { Api } from '#clients/demo/api.js';
import { coolerSetPoint, freezerSetPoint } from './kind.js';

const declare = `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
  putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`;

const settings = {
  variables: [
    {
      name: 'door',
      words: [
        { value: 'true', word: 'open' },
        { value: 'false', word: 'closed' },
      ],
    },
  ],
  commands: [{ name: 'defrost', parameters: [{ name: 'minutes', type: 'UINT8', unit: 'min' }] }],
  state: [{ name: 'setPoint', type: 'FLOAT32', unit: '°C' }],
};

/** Declares what cold rooms understand: a command, and a set point. */
export const declareColdRooms = (api: Api, organizationId: string, productId: string): Promise<void> =>
  api.graph(declare, { o: organizationId, p: productId, s: settings });

interface Command {
  id: string;
  name: string;
}

interface Part {
  name: string;
  desired: unknown;
  settled: boolean;
}

/** The cold rooms as they listen to the service, between their records. */
export class ColdRooms {
  /** Temperatures that rooms hold, by device number, where somebody has set one. */
  readonly setPoints = new Map<number, number>();
  private readonly introduced = new Set<number>();

  /** @param devices identifiers of the cold rooms by number */
  constructor(
    private readonly api: Api,
    private readonly organizationId: string,
    private readonly devices: ReadonlyMap<number, string>,
  ) {}

  /** The numbers of the cold rooms. */
  get numbers(): number[] {
    return [...this.devices.keys()];
  }

  /** Lets a room take and answer its commands, and reach and report its set point. */
  async listen(number: number): Promise<void> {
    const device = `/devices/${this.organizationId}/${this.devices.get(number)}`;
    const { commands } = await this.api.call<{ commands: Command[] }>('GET', `${device}/commands`);
    for (const { id, name } of commands) {
      const answer = name === 'defrost' ? { result: 'started' } : { error: `A cold room knows no ${name}.` };
      await this.api.call('POST', `${device}/commands/${id}/result`, answer);
    }
    const { state } = await this.api.call<{ state: Part[] }>('GET', `${device}/state`);
    const wanted = state.find(({ name, settled }) => name === 'setPoint' && !settled)?.desired;
    if (typeof wanted === 'number') this.setPoints.set(number, wanted);
    if (typeof wanted !== 'number' && this.introduced.has(number)) return;
    this.introduced.add(number);
    const usual = number % 3 === 0 ? coolerSetPoint : freezerSetPoint;
    await this.api.call('POST', `${device}/state`, { reported: { setPoint: this.setPoints.get(number) ?? usual } });
  }
}
