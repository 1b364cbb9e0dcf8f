import { signal } from '@preact/signals';

/** The instant that the pointer or the keyboard points to in one chart, which all charts of the screen show. */
export const pointed = signal<{ readonly at: number; readonly chart: object } | undefined>();
