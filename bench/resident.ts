import { readFileSync } from 'node:fs';

/** Returns the resident memory of a process, in MiB. Linux only. */
export const resident = (pid: number): number => ofStatus(pid, /^VmRSS:\s+(\d+)/m);

/** Returns the peak resident memory of a process, in MiB. Linux only. */
export const mostResident = (pid: number): number => ofStatus(pid, /^VmHWM:\s+(\d+)/m);

const ofStatus = (pid: number, figure: RegExp): number =>
  Number(figure.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
