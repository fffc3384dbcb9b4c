import { useSession } from '../api/session.ts';
import { useWrite } from '../api/writes.ts';
import { LOCALES } from '../language/locale.ts';
import { storeLanguage } from '../language/stored-language.ts';
import { words } from '../words/words.ts';
import { act } from './act.ts';
import { Select } from './field.tsx';
import { Panel } from './panel.tsx';

const { language: texts } = words.account;
const CHOICES = ['browser', ...LOCALES] as const;

/** The language of the console: that of the browser, or a chosen one. */
export function Language() {
  const { user } = useSession();
  const { send, isSending } = useWrite('PATCH /auth/profile', ['GET /auth/session']);
  const choose = async (choice: (typeof CHOICES)[number]) => {
    const language = choice === 'browser' ? null : choice;
    const isSaved = await act(() => send({ body: { language } }));
    if (isSaved && storeLanguage(language)) location.reload();
  };
  return (
    <Panel title={texts.title}>
      <Select
        label={texts.title}
        hideLabel
        disabled={isSending}
        value={user.language ?? 'browser'}
        onValue={(choice) => void choose(choice)}
        choices={CHOICES.map((value) => ({ value, text: texts.choices[value] }))}
        className="max-w-xs"
      />
    </Panel>
  );
}
