import { describe, expect, it } from '@jest/globals';
import { declaredAvailability } from './availability.ts';
import { BUY, statedAvailability } from './phrases.ts';
import { AVAILABILITIES, isInStock } from './product.ts';

describe('statedAvailability', () => {
  it.each([
    'Out of stock',
    'SOLD OUT',
    'Currently unavailable.',
    'No longer available',
    'Not available',
    'Derzeit nicht verfügbar',

    'Ausverkauft',
    'Actuellement indisponible.',
    'Rupture de stock',
    'Agotado',
    'No disponible',
    'Esgotado',
    'Esaurito',
    'Non disponibile',
    'Uitverkocht',
    'Slut i lager',
    'Utsolgt',
    'Brak w magazynie',
    'Vyprodáno',
    'Elfogyott',

    'Stoc epuizat',
    'Нет в наличии',
    'Tükendi',
    'غير متوفر',
    'אזל מהמלאי',
    'Hết hàng',
    '在庫切れ',
    '已售罄',
    '품절',
  ])('%s is out of stock', (text) => {
    expect(statedAvailability(text)).toBe('OutOfStock');
  });

  it.each([
    'In stock',
    'Only 3 left in stock',
    'Usually dispatched within 2 days',
    'Auf Lager.',
    'Sofort lieferbar',
    'En stock',

    'Em stock',
    'Disponibile',
    'På lager',
    'Varastossa',
    'Skladem',
    'Raktáron',
    'В наличии',
    'Stokta',
    '在庫あり',
    '有货',
  ])('%s is in stock', (text) => {
    expect(statedAvailability(text)).toBe('InStock');
  });

  it.each(['Stocking fillers', 'Description', 'Availability', 'Notes on the market', ''])(
    '%j states nothing',
    (text) => {
      expect(statedAvailability(text)).toBeUndefined();
    },
  );
});

describe('a control to buy', () => {
  it.each([
    'Add to cart',
    'Add to Basket',
    'Buy it now',
    'Pre-order',
    'In den Warenkorb',
    'Jetzt kaufen',
    'Ajouter au panier',

    'Añadir al carrito',
    'Agregar al carro',
    'Comprar',
    'Adicionar ao Carrinho',
    'Aggiungi al carrello',
    'In winkelwagen',

    'Lägg i varukorg',
    'Legg i handlekurv',
    'Lisää ostoskoriin',
    'Do koszyka',
    'Do košíku',
    'Adaugă în coș',
    'Купить',

    'В корзину',
    'Sepete ekle',
    'أضف إلى السلة',
    'הוסף לסל',
    'カートに入れる',
    '加入购物车',
    '장바구니 담기',
    'Thêm vào giỏ hàng',
  ])('is named %s', (text) => {
    expect(BUY.test(text.toLowerCase())).toBe(true);
  });

  it.each(['View cart', 'Your basket', 'Warenkorb', 'Continue shopping', 'Subscribe', 'Buyers’ guide'])(
    'is not %s',
    (text) => {
      expect(BUY.test(text.toLowerCase())).toBe(false);
    },
  );
});

describe('declaredAvailability', () => {
  it('reads every value of schema.org in any case, with and without its URL', () => {
    for (const name of AVAILABILITIES)
      for (const spelled of [
        name,
        name.toLowerCase(),
        `https://schema.org/${name}`,
        `http://schema.org/${name}`,
        `schema:${name}`,
      ])
        expect([spelled, declaredAvailability(spelled)]).toEqual([spelled, name]);
  });

  it('reads the spellings of shops, and nothing else', () => {
    const found = ['in stock', 'out of stock', 'instock', 'oos', 'available for order', 'maybe', ''].map(
      declaredAvailability,
    );
    expect(found).toEqual(['InStock', 'OutOfStock', 'InStock', 'OutOfStock', 'InStock', undefined, undefined]);
  });

  it('is no statement about now for products to be ordered in advance', () => {
    expect(AVAILABILITIES.filter((name) => isInStock(name) === undefined)).toEqual([
      'PreOrder',
      'PreSale',
      'BackOrder',
      'MadeToOrder',
      'Reserved',
    ]);
  });
});
