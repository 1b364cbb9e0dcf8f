import { useLocation } from 'preact-iso';
import { type DevicesQuery, RegisterDeviceDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { DeviceFields, deviceOf } from '../device/device-actions.js';

/** Registers a device and opens its screen. */
export function RegisterDevice({ products }: { products: NonNullable<DevicesQuery['products']>['items'] }) {
  const { route } = useLocation();
  return (
    <Action
      label="Register a device"
      action="Register"
      primary
      submit={async (form) => {
        const { registerDevice } = await ask(RegisterDeviceDocument, {
          organizationId: organizationId.value,
          deviceSerial: textOf(form, 'serial'),
          ...deviceOf(form),
        });
        route(`/console/devices/${registerDevice.id}`);
      }}
    >
      <Field label="Serial" hint="Groups of hexadecimal digits joined by dashes, such as 00-de-70-01.">
        <input name="serial" required maxLength={64} autocomplete="off" />
      </Field>
      <DeviceFields products={products} />
    </Action>
  );
}
