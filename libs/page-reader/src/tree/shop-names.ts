/** Names that shops give to boxes of prices. They choose no content: they state that a page may show a product. */
export const PRICE_NAMES =
  'price prices preis preise prix precio precios preco precos prezzo prezzi cena ceny pris prijs';

/** Names of baskets and of buttons that add to them. */
export const CART_NAMES =
  'cart addtocart basket buy buybox buynow checkout purchase warenkorb panier carrito carrinho carrello';
