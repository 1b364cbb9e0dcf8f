/**
 * Returns a serial number in the form in which it is compared: in lower case, without dashes. The column
 * `device.serial_key` holds it.
 */
export const serialKey = (serial: string): string => serial.toLowerCase().replaceAll('-', '');
