import { rateLimited } from '#common/errors.js';

/** Maximum numbers of those who wait in a process. */
export interface BellLimits {
  perDevice: number;
  perOrganization: number;
  all: number;
}

/** Limits of calls over HTTP that wait. */
export const ofCalls: BellLimits = { perDevice: 4, perOrganization: 2000, all: 8000 };
/** Limits of devices that listen on connections. The connections have limits of their own. */
export const ofConnections: BellLimits = { perDevice: 20, perOrganization: 75_000, all: 100_000 };

/** One who waits for what a device is to be told. */
interface Listener {
  organizationId: string;
  ring(): void;
}

/** Tells those who wait in this process that there may be something for their device. A ring is a hint. */
export class Bell {
  private readonly byDevice = new Map<string, Set<Listener>>();
  private readonly byOrganization = new Map<string, number>();
  private size = 0;

  constructor(private readonly most: BellLimits) {}

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** The devices that somebody waits for. */
  get devices(): string[] {
    return [...this.byDevice.keys()];
  }

  /**
   * Calls `ring` whenever there may be something for the device. Returns the function that ends this.
   * @throws rateLimited when too many wait
   */
  listen({ id, organizationId }: { id: string; organizationId: string }, ring: () => void): () => void {
    const listeners = this.byDevice.get(id) ?? new Set<Listener>();
    const count = this.byOrganization.get(organizationId) ?? 0;
    const { perDevice, perOrganization, all } = this.most;
    if (listeners.size >= perDevice)
      throw rateLimited(`[${listeners.size}] calls or connections wait for this device already.`, 1);
    if (count >= perOrganization || this.size >= all)
      throw rateLimited(`[${count}] calls or connections of this organization wait for devices already.`, 5);
    const listener = { organizationId, ring };
    this.byDevice.set(id, listeners.add(listener));
    this.byOrganization.set(organizationId, count + 1);
    this.size++;
    return () => {
      if (!listeners.delete(listener)) return;
      if (listeners.size === 0) this.byDevice.delete(id);
      const left = this.byOrganization.get(organizationId)! - 1;
      if (left === 0) this.byOrganization.delete(organizationId);
      else this.byOrganization.set(organizationId, left);
      this.size--;
    };
  }

  ring(devices: readonly string[]): void {
    for (const id of devices) for (const { ring } of this.byDevice.get(id) ?? []) ring();
  }

  /** Rings for all, so that nobody waits on. */
  ringAll(): void {
    this.ring(this.devices);
  }
}
