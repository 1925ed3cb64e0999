import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import { themes, useTheme } from './theme.ts';

const looks = {
  system: { label: 'System theme', Icon: Monitor },
  light: { label: 'Light theme', Icon: Sun },
  dark: { label: 'Dark theme', Icon: Moon },
} as const;

export function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  return (
    <fieldset aria-label="Theme" className="flex gap-0.5">
      {themes.map((name) => {
        const { label, Icon } = looks[name];
        return (
          <button
            key={name}
            type="button"
            aria-label={label}
            title={label}
            aria-pressed={theme === name}
            className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover aria-pressed:bg-hover aria-pressed:text-text pointer-coarse:size-9"
            onClick={() => setTheme(name)}
          >
            <Icon size={15} aria-hidden />
          </button>
        );
      })}
    </fieldset>
  );
}
