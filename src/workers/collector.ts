import { setTimeout as delay } from 'node:timers/promises';
import { createWorkerFigures } from './figures.js';
import type { Member } from './member.js';
import type { Figures } from './message.js';

/** Asks workers for their figures. */
export interface Collector {
  /** What a worker answered. */
  take(member: Member, id: number, figures: Figures): void;
  /** Figures of all workers, those that have ended among them, as Prometheus reads them. */
  render(): Promise<string>;
  retire(member: Member): void;
}

/** A worker that does not answer within this time counts with what it said last. Milliseconds. */
const patience = 2000;

/** @param members the workers that run, and those of them that no other has replaced */
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
