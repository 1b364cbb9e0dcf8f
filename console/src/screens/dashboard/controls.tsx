import { useAddress } from '../../browser/address.js';
import { RangePicker } from '../../components/range-picker.js';
import { changeOf, valuesIn } from './data/values.js';
import { type Dashboard, lengthNames } from './document.js';
import { optionsOf, type Subjects } from './facts.js';

/** The range and the variables of a dashboard, both in the address. */
export function Controls({ application, dashboard }: { application: Subjects; dashboard: Dashboard }) {
  const address = useAddress();
  const values = valuesIn(address, dashboard.variables);
  return (
    <div class="filters">
      {dashboard.variables.map((variable) => {
        const options = optionsOf(application, variable.kind);
        const value = values[variable.name] ?? '';
        return (
          <label key={variable.name} class="inline-field">
            <span class="quiet">{variable.name}</span>
            <select
              value={value}
              onChange={({ currentTarget }) => address.set(changeOf(variable, currentTarget.value))}
            >
              <option value="">All</option>
              {options.map((option) => (
                <option key={option.value} value={option.value}>
                  {option.title}
                </option>
              ))}
              {value !== '' && !options.some((option) => option.value === value) && (
                <option value={value}>{value}</option>
              )}
            </select>
          </label>
        );
      })}
      <RangePicker address={address} fallback={dashboard.range} names={lengthNames} />
    </div>
  );
}
