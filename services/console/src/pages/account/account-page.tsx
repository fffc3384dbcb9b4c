import { Language } from '../../parts/language-choice.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { words } from '../../words/words.ts';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm, ProfileForm } from './profile.tsx';
import { SavedViews } from './saved-views.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** The signed-in person: profile, password, second factor, passkeys and sessions. */
export function AccountPage() {
  return (
    <>
      <PageHead title={words.account.title} />
      <div className="grid gap-4 lg:grid-cols-2">
        <ProfileForm />
        <PasswordForm />
        <SecondFactor />
        <Passkeys />
        <Sessions />
        <Language />
        <SavedViews />
      </div>
    </>
  );
}
