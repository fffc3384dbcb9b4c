import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import { makesStatement, namesStatus, type Statement } from './statements.ts';

const RESTRICTED: Statement = {
  sentence:
    /(?:not|isn['’]t|un)\s?available (?:in|from|for|to users in) your (?:country|region|location|area|territory)|(?:your|this) (?:country|region|location) (?:is|has been) (?:blocked|restricted|not supported)|geo(?:graphic(?:al)?)?[- ]?(?:restrict|block)|due to (?:gdpr|legal reasons|licensing)|european economic area|(?:ihrem|deinem|diesem) land nicht verfügbar|(?:ihrer|deiner) region nicht verfügbar|pas (?:disponible|accessible) dans votre (?:pays|région)|no (?:está|se encuentra) disponible en (?:tu|su) (?:país|región|ubicación)|não (?:está )?disponível (?:no seu país|na sua região|em sua região)|non (?:è )?disponibile nel tuo paese|niet beschikbaar in (?:uw|jouw|je) (?:land|regio)|inte tillgänglig[at]* i ditt land|niedostępn[a-ząę]+ w (?:twoim|państwa) (?:kraju|regionie)|(?:ülkenizde|bölgenizde) (?:kullanılamıyor|mevcut değil|izlenemez)|недоступ[а-я]+ в ваше[мй] (?:стране|регионе)|お(?:住|す)まいの(?:国|地域).{0,20}(?:でき|いただけ)ません|(?:您|你)所在的?(?:国家|地区|國家|地區).{0,12}(?:无法|不可|不支持|無法|暂不)|(?:해당|귀하의|현재) (?:국가|지역)에서.{0,12}(?:없|제한)/i,
  names: (name) => namesStatus(name, /^(?:451|1009)$/),
  advice: ADVICE,
};

/** Finds a refusal by location: https://www.rfc-editor.org/rfc/rfc7725 */
export function geoRefusalIn({ httpStatus, evidence }: ClassifyInput): Finding | undefined {
  if (httpStatus !== 451 && !makesStatement(evidence, RESTRICTED)) return undefined;
  return {
    errorCode: 'GEO_RESTRICTED',
    reason: 'the site does not answer from this place',
    signals: ['geo restricted'],
  };
}
