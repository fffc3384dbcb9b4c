import type { Availability } from './product.ts';

/**
 * Matches one of the phrases in a text in small letters: of languages with spaces at the start of a word, of others
 * anywhere. One alternation without case folding is several times faster than one per language.
 */
const phrases = (spaced: readonly string[], unspaced = '(?!)'): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${spaced.join('|')})|${unspaced}`, 'u');

/** Labels of controls that buy, order or reserve the product of a page. */
export const BUY = phrases(
  [
    'add (?:item )?to (?:your |my )?(?:shopping )?(?:cart|bag|basket|trolley|order)|buy (?:it )?now|buy(?= |$)|order now|pre-?order|place (?:your )?bid|bid now|purchase|get tickets|buy tickets',
    'in den (?:einkaufs)?(?:warenkorb|einkaufswagen|wagen|korb)|(?:jetzt )?(?:kaufen|bestellen)|zum warenkorb hinzufügen|in winkel(?:wagen|mand)|toevoegen aan winkel',
    'ajouter (?:cet article )?au panier|acheter|commander|ajouter à mon panier',
    'añadir (?:al|a la) (?:carrito|cesta|bolsa|carro)|agregar al? (?:carrito|carro|bolsa)|comprar|adicionar (?:ao carrinho|à sacola)|colocar no carrinho',
    'aggiungi (?:al carrello|alla borsa)|acquista|compra(?: ora| subito|$)',
    '(?:lägg|legg|læg|tilføj|føj) (?:i|til|till) (?:varukorg\\w*|kundvagn\\w*|handlekurv\\w*|kurv\\w*|indkøbskurv\\w*|handlevogn\\w*)|köp(?:a)?(?: nu|$)|kjøp(?= |$)|køb(?= |$)|lisää (?:ostos)?kori\\w*|osta(?= |$)',
    'dodaj do koszyka|do koszyka|kup (?:teraz|ten)|do ko[šs][íi]ku|vložit do|pridať do|přidat do|koupit|kúpiť|kosárba|megveszem|adaug[ăa] [iî]n co[sșş]|cump[ăa]r[ăa]|u košaricu|dodaj u|v košarico|в количка\\w*|купи',
    '(?:добавить )?в корзину|купить|заказать|до кошика|у кошик|купити|себетке|сатып алу',
    'sepete ekle|satın al|hemen al|προσθήκη στο καλάθι|αγορά',
    'أضف (?:إلى|الى) (?:السلة|عربة)|اشتر|הוסף לסל|הוספה לסל|קנה עכשיו|افزودن به سبد',
    'thêm vào giỏ|mua ngay|tambah(?:kan)? ke (?:keranjang|troli)|beli sekarang|masukkan keranjang|เพิ่มลงในตะกร้า|หยิบใส่ตะกร้า|ซื้อ',
  ],
  'カートに入れる|かごに追加|買い物かごに|今すぐ買う|購入|加入购物车|加入購物車|放入購物車|立即购买|立即購買|我要購買|我要购买|장바구니|구매하기|바로구매|바로 구매',
);

const OUT_OF_STOCK = phrases(
  [
    'out[- ]of[- ]stock|sold[- ]out|(?:not|no longer) (?:currently |yet )?available|unavailable|no longer (?:sold|in stock)|not in stock|notify me when|email me when (?:available|in stock)|this (?:listing|item|auction) (?:has |was )?(?:sold|ended)',
    'ausverkauft|nicht (?:auf lager|vorrätig|verfügbar|lieferbar|mehr (?:verfügbar|lieferbar|erhältlich))|derzeit nicht|momentan nicht|vergriffen|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)',
    'rupture de stock|en rupture|épuisé|(?:actuellement |temporairement )?indisponible|non disponible|plus disponible|pas disponible',
    'agotado|sin (?:stock|existencias)|no disponible|no hay (?:stock|existencias)|esgotado|indisponível|fora de estoque|sem (?:stock|estoque)|avise-me',
    'esaurito|non disponibile|non è disponibile|terminato',
    'slut i lager|slutsåld|ej i lager|inte i lager|tillfälligt slut|utsolgt|ikke på lager|udsolgt|loppu(?:nut|unmyyty)|ei saatavilla|tilapäisesti loppu',
    'niedostępny|brak w magazynie|wyprzedany|vyprodáno|není skladem|nedostupn\\w+|vypredané|nie je (?:na sklade|skladom)|nincs (?:raktáron|készleten)|elfogyott|stoc epuizat|indisponibil|nu este [iî]n stoc|rasprodano|nije dostupno|razprodano|изчерпан|няма наличност',
    'нет в наличии|нет на складе|закончил(?:ся|ось|ись)|распродан\\w*|немає в наявності|товар недоступен|снят с продажи',
    'tükendi|stokta yok|εξαντλ\\w+|μη διαθέσιμο',
    'غير متوفر|نفدت الكمية|نفذ من|אזל (?:מה)?מלאי|לא במלאי|ناموجود',
    'hết hàng|stok habis|habis terjual|สินค้าหมด',
  ],
  '在庫切れ|在庫なし|品切れ|売り切れ|入荷待ち|缺货|缺貨|售罄|已售完|已售罄|無庫存|暂时无货|품절|일시품절|판매종료|재고없음',
);

const LATER = phrases(
  ['pre-?order|vorbestell|précommande|reserva anticipada|preordina|предзаказ'],
  '予約|预订|예약판매',
);

const IN_STOCK = phrases(
  [
    'in stock|available (?:now|online|to order|for (?:delivery|immediate))|\\d+ (?:available|in stock|left)|only \\d+ left|ready to ship|ships (?:today|within|in)|usually (?:ships|dispatched)',
    'auf lager|vorrätig|sofort (?:lieferbar|verfügbar|versandfertig)|lieferbar|verfügbar|op voorraad|direct leverbaar|uit voorraad',
    'en stock|disponible|expédié|em stock|em estoque|disponível|hay existencias|disponibile|disponibilità immediata',
    'i lager|på lager|finns i lager|varastossa|saatavilla',
    'w magazynie|dostępny|na stanie|skladem|na sklade|skladom|raktáron|készleten|[iî]n stoc|na zalihi|na zalogi|на склад|в наличност|налично',
    'в наличии|есть на складе|в наявності|є в наявності|қоймада бар',
    'stokta(?: var)?|διαθέσιμο|άμεσα διαθέσιμο',
    'متوفر|موجود|במלאי|قابل خرید',
    'còn hàng|tersedia|ready stock|มีสินค้า|พร้อมส่ง',
  ],
  '在庫あり|在庫有|有货|有貨|现货|現貨|재고있음|구매가능',
);

/** Returns the availability that a short visible text states; undefined if it states none. */
export function statedAvailability(given: string): Availability | undefined {
  const text = given.toLowerCase();
  if (OUT_OF_STOCK.test(text)) return 'OutOfStock';
  if (LATER.test(text)) return 'PreOrder';
  return IN_STOCK.test(text) ? 'InStock' : undefined;
}

/** Words before or after an amount that state what it is. */
export const FORMER_PRICE = phrases(
  [
    'was(?= |:|$)|were(?= |:|$)|rrp|r\\.r\\.p|msrp|list price|(?:regular|original|old|former|retail|previous|full|typical|compare at|before) ?price|compare at|reg\\.|orig\\.|before(?= |:|$)|regularly|instead of',
    'uvp|statt|vorher|früher(?:er preis)?|alter preis|unverb|ursprünglich|bisher|adviesprijs|normale prijs|van(?= |:|$)|normalpreis|listenpreis',
    'au lieu de|ancien prix|avant|prix (?:conseillé|public|barré|de base|initial|d.origine)|prix de vente conseillé',
    'antes|precio (?:anterior|normal|original|regular|lista|de lista)|p\\.?v\\.?p\\.?r?|de:|preço (?:anterior|original|normal)|por r\\$.*de',
    'prezzo (?:consigliato|di listino|originale|precedente)|invece di|era(?= |:|$)|anziché',
    'ord(?:inarie|\\.)?(?: pris)?|tidigare|førpris|før(?= |:|$)|veil\\.? ?pris|normalhinta|ovh',
    'cena (?:regularna|katalogowa|przed)|najniższa cena|było|běžná cena|původní cena|bežná cena|pôvodná cena|eredeti ár|preț(?:ul)? (?:vechi|recomandat)|prp|стара цена',
    'старая цена|вместо|цена без скидки|стара ціна',
    'eski fiyat|αρχική τιμή|السعر السابق|בדיקות|giá (?:gốc|cũ)|harga (?:asli|normal)',
  ],
  '定価|通常価格|参考価格|原价|原價|市场价|市價|定價|정가|정상가|판매가(?=.*할인)',
);

/** Labels of the price to be paid. */
export const CURRENT_PRICE = phrases(
  [
    '(?:now|our price|price|current price(?: is)?|sale price|special price|today|buy it now|you pay|deal)(?: price)?:?$|(?:jetzt|preis|nur|aktionspreis|nu|prijs|prix|maintenant|precio|ahora|por|preço|agora|prezzo|ora|pris|nå|hinta|nyt|cena|teraz|nyní|ár|preț|цена|сейчас|ціна|fiyat|τιμή|السعر|מחיר|giá|harga|ราคา):?$',
  ],
  '(?:価格|税込|販売価格|特価|售价|售價|现价|特價|价格|價格|판매가|가격|할인가):?：?$',
);

/** Amounts that are no price of the product: reductions, delivery, instalments, deposits, thresholds, credits. */
export const OTHER_AMOUNT = phrases(
  [
    'sav(?:e|ing|ings)|you save|off(?= |$)|discount|coupon|voucher|shipping|postage|delivery|deliver|handling|import (?:fees|charges)|tax(?:es)?(?= |:|$)|deposit|instal?lments?|monthly|a month|per month|payments? of|interest|apr(?= |:|$)|points?|cash ?back|rewards?|gift cards?|over(?= |$)|orders? (?:over|above|of)|spend|free (?:delivery|shipping|click|over|on|when|for)|minimum|when you|warranty|protection plan|trade[- ]in|worth of|fee(?= |:|$)|(?<!(?:current|winning) )bids?(?= |:|$)|starting (?:price|bid)|up to|above(?= |$)|estimate|reserve (?:price|not)|ex(?:cl)?\\.? (?:vat|tax|gst)|excluding (?:vat|tax|gst)',
    'sie sparen|du sparst|spar(?:en|e)?(?= |:|$)|ersparnis|rabatt|versand|lieferung|liefer|rate(?:n)?(?= |:|$)|mtl|monat|finanzier|gutschein|pfand|ab einem|mindest|verzend|bezorg|korting|bespaar|per maand',
    'économis\\w+|remise|réduction|livraison|frais(?= |:|$)|port(?= |:|$)|mensualit\\w+|par mois|à partir de .* d.achat|éco-?part\\w*|dont |bon d.achat|fidélité',
    'ahorr\\w+|descuento|envío|envio|cuotas?|al mes|mensual\\w*|interés|puntos|portes|frete|entrega|parcelas?|em até|\\d+ ?x de|\\d+x|desconto|economiz\\w+|poupe|sem juros|por mês|prestaç\\w+|cashback',
    'risparmi\\w*|sconto|spedizion\\w+|consegna|rat[ea](?= |:|$)|al mese|buono',
    'frakt|fraktfri\\w*|spar(?:a|er)?(?= |:|$)|rabat|levering|avbetal\\w*|per (?:månad|måned)|delbetal\\w*|toimitus\\w*|säästä\\w*|kk(?= |$)',
    'oszczęd\\w+|dostaw\\w+|wysyłk\\w+|rat[ayę]?(?= |:|$)|ušetř\\w+|doprav\\w+|splát\\w+|ušetrí\\w+|szállít\\w+|transport|livrare|rate(?= |:|$)|economis\\w+|доставка|спестявате|отстъпка',
    'доставк\\w*|скидк\\w*|рассроч\\w*|в месяц|мес\\.|кредит\\w*|бонус\\w*|балл\\w*|эконом\\w*|выгод\\w*|кешбэк|кэшбэк|знижк\\w*|айына|бөліп төлеу',
    'kargo|taksit|indirim|tasarruf|μεταφορικά|έκπτωση|δόσεις',
    'شحن|توصيل|خصم|قسط|משלוח|הנחה|תשלומים',
    'phí vận chuyển|trả góp|giảm|ongkir|cicilan|hemat|ค่าจัดส่ง|ส่วนลด|ผ่อน',
  ],
  '送料|ポイント|割引|分割|月々|运费|運費|优惠券|折扣|立减|分期|满|滿|배송비|할인|적립|쿠폰|개월',
);

export const OTHER_AFTER = phrases(
  [
    'off(?= |$|\\.|!)|discount|sav(?:e|ed|ing|ings)|shipping|delivery|postage|cash ?back|points?|deposit|gift|coupon|voucher|rabatt|versand|lieferung|sparen|gespart|ersparnis|gutschein|pfand|korting|verzend',
    'de remise|de réduction|d.économie|livraison|de frais|de livraison|de descuento|descuento|de ahorro|de envío|envío|puntos|de desconto|desconto|de frete|frete|di sconto|sconto|spedizione|di spedizione',
    'frakt|rabat|levering|toimitus|dostaw|wysyłk|doprav|szállít|transport|livrare|доставк|скидк|бонус|балл|экономи|выгод|кешбэк|кэшбэк|знижк|taksit|kargo|indirim',
  ],
  'خصم|شحن|הנחה|משלוח|送料|ポイント|割引|引き|off|运费|優惠|折|할인|적립|쿠폰|배송',
);

/** What follows a price per unit. */
export const PER_UNIT =
  /^\s*\)?\s*(?:\/|per\b|pro\b|je\b|al\b|por\b|par\b|за\b|na\b)\s*(?:\d+([.,]\d+)?\s*)?(?:100\s*)?(?:g|gr|kg|ml|cl|l|lt|ltr|litre|liter|litro|m|m2|m²|m³|mtr|metre|meter|cm|oz|fl|lb|st|stk|stück|stuk|unit|each|count|piece|pc|unité|ud|unidad|un|item|sheet|100|1000|шт|кг|л|г|м)\b/iu;

/** What follows a payment per period or a part of several payments. */
export const PER_PERIOD =
  /^\s*(?:\/|per|a|pro|je|par|al|por|в|på|i)?\s*(?:mo\b|mth\b|month|week|year|monat|mtl|mois|mes\b|mês|mese|maand|månad|måned|kk\b|мес|年|月|개월)/iu;
