/* Chromium without a locale, such as on a kiosk, calls its language `en-US@posix`, which `Intl` refuses. Libraries give
   it to `Intl` when they are imported, so this module is imported before all others. */

const isKnown = (language: string): boolean => {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
};

if (!isKnown(navigator.language))
  Object.defineProperty(navigator, 'language', { value: new Intl.NumberFormat().resolvedOptions().locale });
