/** Sums of the values of a device in a segment of time. */
export interface DeviceSums {
  readonly n: number;
  readonly s: number;
  readonly l: number;
  readonly h: number;
  readonly f: number;
  readonly t: number;
  readonly i: number;
}

/** Sums of the devices in a segment of time, as columns of the same length. */
export class Segment {
  readonly devices: number[] = [];
  readonly n: number[] = [];
  readonly s: number[] = [];
  readonly l: number[] = [];
  readonly h: number[] = [];
  readonly f: number[] = [];
  readonly t: number[] = [];
  readonly i: number[] = [];
  /** Number of values below the one before. */
  falls = 0;

  /** @param start Unix seconds */
  constructor(readonly start: number) {}

  /** Adds the sums of a device after its earlier ones, which are those at an index, by default the last. */
  add(device: number, sums: DeviceSums, at = this.devices.length - 1): void {
    if (this.devices[at] !== device) {
      this.devices.push(device);
      for (const part of numberParts) this[part].push(sums[part]);
      return;
    }
    const last = this.t[at]!;
    this.falls += Number(sums.f < last);
    this.i[at]! += (sums.f < last ? sums.f : sums.f - last) + sums.i;
    this.n[at]! += sums.n;
    this.s[at]! += sums.s;
    this.l[at] = Math.min(this.l[at]!, sums.l);
    this.h[at] = Math.max(this.h[at]!, sums.h);
    this.t[at] = sums.t;
  }

  /** Returns the sums at an index. */
  at(index: number): DeviceSums {
    return {
      n: this.n[index]!,
      s: this.s[index]!,
      l: this.l[index]!,
      h: this.h[index]!,
      f: this.f[index]!,
      t: this.t[index]!,
      i: this.i[index]!,
    };
  }
}

/** Parts of a segment, in the order in which they are stored. */
export const numberParts = ['n', 'f', 't', 's', 'l', 'h', 'i'] as const;

/** Joins segments, which are in order of time, to one. */
export class JoinedSegments {
  private readonly joined: Segment;
  private readonly places = new Map<number, number>();

  /** @param start Unix seconds */
  constructor(start: number) {
    this.joined = new Segment(start);
  }

  add(segment: Segment): void {
    const { joined, places } = this;
    joined.falls += segment.falls;
    for (const [index, device] of segment.devices.entries()) {
      const place = places.get(device);
      if (place === undefined) places.set(device, joined.devices.length);
      joined.add(device, segment.at(index), place ?? -1);
    }
  }

  finish(): Segment {
    return inOrder(this.joined);
  }
}

const inOrder = (segment: Segment): Segment => {
  const { devices } = segment;
  const sorted = new Segment(segment.start);
  sorted.falls = segment.falls;
  const order = devices.map((_, index) => index).sort((a, b) => devices[a]! - devices[b]!);
  for (const index of order) sorted.add(devices[index]!, segment.at(index), -1);
  return sorted;
};
