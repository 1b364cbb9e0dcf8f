import { useId, useState } from 'preact/hooks';
import { DeviceSuggestionsDocument } from '../api/documents.js';
import { organizationId } from '../api/session.js';
import { usePanels } from '../api/use-query.js';
import { useSettled } from '../browser/use-settled.js';
import { escaped } from '../format/pattern.js';

/** Maximum number of suggestions by name or serial, and maximum number by tag. */
const limit = 8;

/**
 * A field for a device that suggests devices by a part of the name or the serial, or by a whole tag (WAI-ARIA combobox).
 * Enter takes the only
 * suggestion. The form has the serial, and the field shows the name.
 */
export function DevicePicker({ name, label }: { name: string; label: string }) {
  const id = useId();
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<string | undefined>();
  const asked = useSettled(text);
  const [place, setPlace] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const found = usePanels(
    DeviceSuggestionsDocument,
    asked === ''
      ? undefined
      : { organizationId: organizationId.value, q: escaped(asked), tag: asked.slice(0, 64), limit },
  );
  const all = [...(found.data?.named?.items ?? []), ...(found.data?.tagged?.items ?? [])];
  const devices = [...new Map(all.map((device) => [device.id, device])).values()];
  const chosen = Math.min(place, devices.length - 1);
  const shows = isOpen && asked !== '' && devices.length > 0;
  const choose = ({ name: title, serial }: (typeof devices)[number]) => {
    setText(title ?? serial);
    setPicked(serial);
    setOpen(false);
  };
  // Enter takes the only suggestion.
  const taken = devices[chosen] ?? (devices.length === 1 ? devices[0] : undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!shows) return;
    if (event.key === 'ArrowDown') setPlace((chosen + 1) % devices.length);
    else if (event.key === 'ArrowUp') setPlace((chosen + devices.length - (chosen < 0 ? 0 : 1)) % devices.length);
    else if (event.key === 'Enter' && taken !== undefined) choose(taken);
    else if (event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field">
      <label class="field">
        <span class="field-label">{label}</span>
        <input
          required
          spellcheck={false}
          autocomplete="off"
          role="combobox"
          aria-expanded={shows}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shows && chosen >= 0 ? `${id}-${chosen}` : undefined}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            setPicked(undefined);
            setOpen(true);
            setPlace(-1);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <input type="hidden" name={name} value={picked ?? text} />
      <span class="quiet hint">A serial, or a part of a name or serial, or a tag to choose from.</span>
      <div id={`${id}-list`} role="listbox" aria-label="Suggested devices" class="suggestions" hidden={!shows}>
        {devices.map((device, index) => (
          <div
            key={device.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(device)}
          >
            <span class="cut">{device.name ?? device.serial}</span>
            <code class="quiet">{device.serial}</code>
            <span class="quiet cut">{device.tags.join(', ')}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
