import { DeviceBySerialDocument, LinkDeviceDocument } from '../api/documents.js';
import { ask } from '../api/graph.js';
import { organizationId } from '../api/session.js';
import { textOf } from '../browser/form.js';
import { DevicePicker } from '../components/device-picker.js';
import { FormDialog } from '../components/dialog.js';

/** Links a device to an application. */
export const linkDevice = (applicationId: string, deviceId: string) =>
  ask(LinkDeviceDocument, { organizationId: organizationId.value, applicationId, deviceId });

/** Links a device that is chosen by its name, serial or tag. */
export const LinkDialog = ({
  application: { id: applicationId, name },
  linked,
  close,
}: {
  application: { readonly id: string; readonly name: string };
  /** Called with the device before the dialog closes. */
  linked: (deviceId: string) => unknown;
  close: () => void;
}) => (
  <FormDialog
    title="Link a device"
    action="Link"
    done="The device was linked."
    submit={async (form) => {
      const { deviceBySerial: device } = await ask(DeviceBySerialDocument, {
        organizationId: organizationId.value,
        deviceSerial: textOf(form, 'serial'),
      });
      await linkDevice(applicationId, device.id);
      await linked(device.id);
    }}
    close={close}
  >
    <DevicePicker name="serial" label="Device" />
    <p class="quiet">
      It stays in its other applications. Whoever may see {name}, also by a link for walls, sees its records from then
      on.
    </p>
  </FormDialog>
);
