import { effect, signal } from '@preact/signals';

/** `light`, `dark`, or empty for the system's theme. */
export const theme = signal(localStorage.getItem('ddp.theme') ?? '');

/** Sets the theme on this machine. */
export function chooseTheme(name: string): void {
  if (name === '') localStorage.removeItem('ddp.theme');
  else localStorage.setItem('ddp.theme', name);
  theme.value = name;
}

effect(() => {
  if (theme.value === '') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
});
