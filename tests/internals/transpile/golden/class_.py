def last_balance(payments):
    class Account:
        rate = 2

        def __init__(self, balance):
            self.balance = balance

        def pay(self, amount):
            if amount > 0:
                self.balance += amount * self.rate

    account = Account(0.0)
    for payment in payments:
        account.pay(payment)
    return account.balance
