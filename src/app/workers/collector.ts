import { setTimeout as delay } from 'node:timers/promises';
import { createWorkerFigures } from './figures.js';
import type { Member } from './member.js';
import type { Figures } from './message.js';

/** Collects the metrics of all workers. */
export interface Collector {
  /** Receives a worker's answer. */
  take(member: Member, id: number, figures: Figures): void;
  /** Returns the metrics of all workers, including those that have ended, in Prometheus format. */
  render(): Promise<string>;
  retire(member: Member): void;
}

/** Time after which a worker that has not answered counts with its previous metrics, in milliseconds. */
const patience = 2000;

/**
 * Creates the collector.
 * @param members returns the running workers, and those of them that were not replaced.
 */
export function createCollector(members: () => { all: readonly Member[]; serving: ReadonlySet<Member> }): Collector {
  const figures = createWorkerFigures();
  const waiting = new Map<string, () => void>();
  let collected = 0;
  const ask = async (member: Member, id: number) => {
    const key = `${member.id} ${id}`;
    const answered = new Promise<void>((resolve) => waiting.set(key, resolve));
    member.tell({ kind: 'collect', id });
    const over = new AbortController();
    await Promise.race([answered, member.ended, delay(patience, undefined, { signal: over.signal })]);
    over.abort();
    waiting.delete(key);
  };
  return {
    take(member, id, said) {
      figures.keep(member.id, said);
      waiting.get(`${member.id} ${id}`)?.();
    },
    async render() {
      const { all, serving } = members();
      const id = ++collected;
      await Promise.all(all.map((member) => ask(member, id)));
      return figures.render(new Set(all.filter((member) => !serving.has(member)).map((member) => member.id)));
    },
    retire: (member) => figures.retire(member.id),
  };
}
