import { type Finding, finding } from './finding.js';

/** State of a standby: a fault, its lag in seconds, or the number of bytes that it lacked after two seconds. */
export interface ExaminedStandby {
  readonly name: string;
  readonly fault?: string;
  readonly lag?: number;
  readonly bytes?: number;
  readonly givesFeedback?: boolean;
}

/** Names the standbys that answer reads, and how far each is behind. */
export const findStandbys = (standbys: readonly ExaminedStandby[]): Finding => {
  const idle = standbys.filter(({ lag }) => lag === undefined);
  const cancelling = standbys.filter(({ givesFeedback }) => givesFeedback === false);
  const found = finding('standbys', 'all have what was acknowledged', idle.length > 0 ? 'wrong' : 'note', [
    ...(idle.length > 0 ? [`${idle.length} of ${standbys.length} answer no reads; the primary does.`] : []),
    ...(cancelling.length > 0
      ? ['Set hot_standby_feedback to on: otherwise long reads are cancelled, and repeated on the primary.']
      : []),
  ]);
  return { ...found, details: standbys.map(lineOf) };
};

const lineOf = ({ name, fault, lag, bytes }: ExaminedStandby): string => {
  if (fault !== undefined) return `${name}: ${fault}`;
  if (lag === undefined) return `${name}: ${((bytes ?? 0) / 2 ** 20).toFixed(1)} MiB behind after two seconds`;
  return `${name}: ${Math.ceil(lag * 1000)} ms behind`;
};
