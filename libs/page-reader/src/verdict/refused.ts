import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { wallHeaderOf } from './response-headers.ts';
import { isNamed, makesStatement, namesStatus, type Statement } from './statements.ts';
import { MARK_WORDS, NAMED_WITHIN } from './thresholds.ts';

/** Statuses of a refusal, and the numbers under which Cloudflare refuses. */
const REFUSED_STATUS = /^(?:403|10(?:05|06|07|08|10|12|20))$/;

const REFUSED: Statement = {
  sentence:
    /access (?:to this (?:page|site|resource) )?(?:has been |is |was )?(?:denied|forbidden|blocked|restricted)|(?:you (?:have been|are|['’]ve been)|your (?:ip|request|access|connection)(?: address)? (?:has been|is|was)) (?:temporarily |permanently )?(?:blocked|denied|banned|rejected)|sorry,? you have been blocked|403 forbidden|^\s*forbidden|request (?:was )?(?:blocked|rejected|unsuccessful|could not be satisfied)|not (?:authorized|allowed) to (?:access|view)|blocked by (?:network security|our security)|incapsula incident|the requested url was rejected|zugriff (?:verweigert|blockiert|gesperrt)|acc[eè]s (?:refusé|interdit)|acceso (?:denegado|prohibido)|acesso (?:negado|proibido)|accesso (?:negato|vietato)|toegang geweigerd|odmowa dostępu|přístup (?:odepřen|zamítnut)|erişim engellendi|доступ (?:запрещ[её]н|ограничен|закрыт)|访问(?:被拒绝|受限|被阻断)|拒绝访问|アクセスが(?:拒否|制限)|액세스가 거부|접근이 (?:차단|거부)|(?:don['’]t|do not) have (?:the )?(?:required |necessary |sufficient |enough )?(?:permissions?|access|rights|authori[sz]ation|privileges)|access to (?:the|this|that) .{1,60} (?:has been |is |was )(?:denied|forbidden|blocked|restricted)|(?:page|site|url|request)s? (?:has been |is |was )?blocked|mod_?security|permission denied|you(?:['’]re| are) (?:not|un)[ -]?(?:permitted|allowed|authori[sz]ed)|your access (?:to this (?:site|page|service) )?(?:has been|is|was) (?:limited|restricted|revoked|suspended)|(?:blocked|denied|rejected|flagged) (?:by|as) (?:the |our |a |an )?(?:site|website|server|security|administrator|firewall|waf|mod_?security|wordfence|owner|bot|automated|suspicious)|unauthorized (?:access|activity|request)|(?:suspicious|malicious|abnormal|unusual) (?:activity|behaviou?r|request)s? (?:has been |have been |was |were )?(?:detected|identified|from)|(?:bots?|crawlers?|scrapers?|automated (?:access|requests?|clients?)) (?:is|are) (?:not (?:allowed|permitted|welcome)|prohibited|forbidden|blocked)|^not acceptable!?$|(?:keine|fehlende) (?:berechtigung|zugriffsrechte|zugangsberechtigung)|nicht (?:berechtigt|autorisiert)|zugang (?:verweigert|gesperrt|verboten)|anfrage (?:wurde )?(?:blockiert|abgelehnt)|vous n['’](?:êtes pas autorisé|avez pas (?:accès|le droit|les droits|l['’]autorisation|la permission))|(?:votre )?(?:requête|demande|ip) a été (?:bloquée?|refusée?)|(?:no )?(?:tiene|tienes) (?:permisos?|autorización) (?:para|suficientes)|no (?:está|estás) autorizado|(?:su|tu) (?:solicitud|ip) ha sido (?:bloquead|rechazad)|não (?:tem|possui) (?:permissão|acesso|autorização)|(?:sua|seu) (?:solicitação|ip|acesso) foi (?:bloquead|negad)|non (?:hai|si dispone de[li]|possiedi) .{0,20}(?:permess|autorizzazion|diritt)|non (?:sei )?autorizzat|(?:geen|onvoldoende) (?:toegang|toestemming|rechten)|(?:åtkomst|tillträde) nekad|inte behörighet|adgang (?:nægtet|forbudt)|(?:ingen|ikke) (?:adgang|tilgang)|tilgang nektet|pääsy (?:estetty|kielletty|evätty)|nie masz (?:uprawnień|dostępu)|brak (?:dostępu|uprawnień)|nemáte (?:oprávnění|přístup)|hozzáférés (?:megtagadva|korlátozva)|acces (?:interzis|refuzat|restricționat)|(?:нет|недостаточно) прав|у вас нет (?:доступа|прав)|ваш (?:ip|запрос|доступ).{0,20}(?:заблокирован|отклон[её]н|ограничен)|доступ .{0,30}(?:заблокирован|запрещ[её]н)|erişim (?:reddedildi|yasak|kısıtlı)|yetkiniz (?:yok|bulunmuyor)|(?:没有|無|无)(?:访问|存取)?(?:权限|權限)|禁止访问|禁止存取|拒絕存取|(?:请求|訪問|访问|IP).{0,8}(?:被拦截|被封|被阻止|被禁止)|(?:アクセス|閲覧)(?:できません|が?禁止|する?権限)|権限がありません|접근 ?권한이 없|(?:접속|접근|요청)이? (?:차단|제한)되|truy cập bị (?:từ chối|chặn)|không có quyền truy cập|akses (?:ditolak|diblokir)|(?:تم )?(?:رفض|حظر) (?:الوصول|طلبك)|غير مصرح|הגישה (?:נדחתה|נחסמה)|אין לך הרשאה|पहुँच अस्वीकृत|การเข้าถึงถูกปฏิเสธ/i,
  names: (name) => namesStatus(name, REFUSED_STATUS),
  advice: ADVICE,
};
/** Marks of walls, which are the whole text of a page that refuses. */
const REFUSAL_MARK = /reference #\d|ray id|web application firewall|incapsula incident|support id(?: is)?:? ?\d/i;

/** Returns true if the title or a heading names a refusal. */
export const namesRefusal = (evidence: PageEvidence): boolean => isNamed(evidence, REFUSED);

/** True if the mark of a wall is the whole text of a page, or if a page that is named a refusal has one. */
const isMarked = (evidence: PageEvidence): boolean =>
  evidence.bodyWords < (namesRefusal(evidence) ? NAMED_WITHIN : MARK_WORDS) &&
  (REFUSAL_MARK.test(evidence.opening) || evidence.walls.includes('cloudflare block'));

/** Finds a refusal: a 403, or a page that says so. The wall is named if the headers identify it. */
export function isRefusal(input: ClassifyInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const wall = httpStatus >= 400 && httpStatus < 500 ? wallHeaderOf(input) : undefined;
  const refused = (signal: string): Finding => ({
    errorCode: 'BLOCKED',
    reason: 'the site refused the request',
    signals: wall === undefined ? [signal] : [signal, wall],
    ...(wall === undefined ? {} : { widget: wall }),
    climb: true,
  });
  if (httpStatus === 403 || httpStatus === 999) return refused('refused');
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408)
    return { ...refused('refused'), reason: `the site answered ${httpStatus}` };
  return isMarked(evidence) || makesStatement(evidence, REFUSED) ? refused('access denied') : undefined;
}
