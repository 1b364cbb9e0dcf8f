/** Returns a serial as it is compared everywhere: in lower case, without dashes. The column `device.serial_key` holds it. */
export const serialKey = (serial: string): string => serial.toLowerCase().replaceAll('-', '');
